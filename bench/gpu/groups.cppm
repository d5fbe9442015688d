// SPDX-License-Identifier: Apache-2.0
// The benchmarks, a function each. Each takes its memory and gives all of it back.
export module cmm.bench.groups;
import cmm.bench.rounds;

export namespace cmm::bench {

void prefetches(session& s);         // host to device and back, all placements
void already_there(session& s);      // the same, where nothing is to be moved
void discard_prefetches(session& s); // places memory without moving what is in it
void copies(session& s);             // pinned to device, managed to managed
void calls(session& s);              // what a single call costs
void allocations(session& s);        // a pair of allocate and free
void bulk(session& s);               // one large range: bandwidths, fresh memory, read-mostly
// Loop against batch for scattered ranges, and the table of modules/crossovers.cppm made of it.
void crossovers(session& s);

} // namespace cmm::bench
