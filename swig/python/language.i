// SPDX-License-Identifier: Apache-2.0
// Python: everything is in the extension cmm._cmm, whose classes the package cmm derives its own from.
%include <stdint.i>
%include <std_string.i>
%include <std_string_view.i>
// An unknown attribute is an error, not a place to keep a misspelt property.
%feature("python:tp_dictoffset") "0";
