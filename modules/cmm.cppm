// SPDX-License-Identifier: Apache-2.0
// Everything: `import cmm;`.
export module cmm;
export import cmm.error;
export import cmm.trace;
export import cmm.location;
export import cmm.range;
export import cmm.driver;
export import cmm.context;
export import cmm.stream;
export import cmm.buffer;
export import cmm.target;
export import cmm.ops;
export import cmm.copy;
export import cmm.prepared;
export import cmm.managed;
