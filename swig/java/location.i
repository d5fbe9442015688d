// SPDX-License-Identifier: Apache-2.0
// Small values: each crosses as one number, results of several numbers as a long[].
%fragment("cmm_java_values", "header") %{
namespace {

// A location is its kind, in the high half, and its id.
location_code as_location_code(jlong code) noexcept {
    return {static_cast<std::int32_t>(code >> 32), static_cast<std::int32_t>(code & 0xffffffff)};
}
jlong from_location_code(const location_code& l) noexcept {
    return static_cast<jlong>(l.kind) << 32 | static_cast<jlong>(static_cast<std::uint32_t>(l.id));
}
// Operations have a strategy, in the low byte, and a hint policy.
options_code as_options_code(jint code) noexcept { return {code & 0xff, code >> 8}; }

location_code as_location_item(const jlong* item) noexcept { return as_location_code(item[0]); }
std::uint64_t as_size(const jlong* item) noexcept { return static_cast<std::uint64_t>(item[0]); }
target_code as_target(const jlong* item) noexcept {
    // Zero would mean a plain range; no handle is all ones.
    return {item[0] ? static_cast<handle>(item[0]) : ~handle{0}, 0, 0};
}
// A copy's options are its order and overlap, and its two hints.
copy_options_code as_copy_options_item(const jlong* item) noexcept {
    return {static_cast<std::int32_t>(item[0] & 0xffffffff), as_location_code(item[1]), as_location_code(item[2]),
            static_cast<std::int32_t>(item[0] >> 32)};
}

} // namespace
%}

%define CMM_JAVA_NUMBER(TYPE, JNI_TYPE, JAVA_TYPE, FROM)
%typemap(jni) TYPE "JNI_TYPE"
%typemap(jtype) TYPE "JAVA_TYPE"
%typemap(jstype) TYPE "JAVA_TYPE"
%typemap(javain) TYPE "$javainput"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(in, fragment="cmm_java_values") TYPE %{ $1 = FROM($input); %}
%enddef

CMM_JAVA_NUMBER(location_code, jlong, long, as_location_code)
CMM_JAVA_NUMBER(options_code, jint, int, as_options_code)
%typemap(out, fragment="cmm_java_values") location_code %{ $result = from_location_code($1); %}

%define CMM_JAVA_NUMBERS(TYPE)
%typemap(jni) TYPE "jlongArray"
%typemap(jtype) TYPE "long[]"
%typemap(jstype) TYPE "long[]"
%typemap(javaout) TYPE { return $jnicall; }
%enddef

CMM_JAVA_NUMBERS(cmm::accessor_set)
%typemap(out, fragment="cmm_java_throw") cmm::accessor_set {
    const cmm::accessor_set& set = $1;
    $result = new_longs(jenv, {static_cast<jlong>(set.devices), set.host ? 1 : 0});
}

CMM_JAVA_NUMBERS(cmm::memory_information)
%typemap(out, fragment="cmm_java_throw") cmm::memory_information {
    const cmm::memory_information& memory = $1;
    $result = new_longs(jenv, {static_cast<jlong>(memory.free_bytes), static_cast<jlong>(memory.total_bytes)});
}

CMM_JAVA_NUMBERS(cmm::arena_statistics)
%typemap(out, fragment="cmm_java_throw") cmm::arena_statistics {
    const cmm::arena_statistics& of = $1;
    $result = new_longs(jenv, {static_cast<jlong>(of.slabs), static_cast<jlong>(of.slab_bytes),
                               static_cast<jlong>(of.pieces), static_cast<jlong>(of.piece_bytes),
                               static_cast<jlong>(of.free_stretches), static_cast<jlong>(of.largest_free)});
}

// The texts of a report are few and stand for ever: they cross as numbers, which reportText tells apart.
%fragment("cmm_java_report_texts", "header") %{
namespace {

struct report_texts {
    std::mutex lock;
    std::string_view known[256];
    std::atomic<int> count{1}; // the first is the empty one
};
report_texts& all_report_texts() {
    static auto* texts = new report_texts; // outlives every thread
    return *texts;
}

int find_report_text(const report_texts& all, std::string_view text, int from, int to) noexcept {
    for (int i = from; i < to; ++i)
        if (all.known[i].data() == text.data() && all.known[i].size() == text.size())
            return i;
    return -1;
}

jlong number_of(std::string_view text) noexcept {
    auto& all = all_report_texts();
    const int seen = all.count.load(std::memory_order_acquire);
    if (text.empty())
        return 0;
    if (const int at = find_report_text(all, text, 1, seen); at >= 0)
        return at;
    const std::lock_guard guard(all.lock);
    const int count = all.count.load(std::memory_order_relaxed);
    if (const int at = find_report_text(all, text, seen, count); at >= 0)
        return at;
    if (count == static_cast<int>(std::size(all.known)))
        return 0;
    all.known[count] = text;
    all.count.store(count + 1, std::memory_order_release);
    return count;
}

std::string report_text(std::int32_t number) {
    const auto& all = all_report_texts();
    return number > 0 && number < all.count.load(std::memory_order_acquire) ? std::string(all.known[number])
                                                                            : std::string();
}

} // namespace
%}
%fragment("cmm_java_report_texts");
std::string report_text(std::int32_t number);

CMM_JAVA_NUMBERS(cmm::report)
%typemap(out, fragment="cmm_java_throw,cmm_java_report_texts") cmm::report {
    const cmm::report& did = $1;
    $result = new_longs(jenv, {static_cast<jlong>(did.ranges_in), static_cast<jlong>(did.ranges_out),
                               static_cast<jlong>(did.calls), static_cast<jlong>(did.bytes),
                               static_cast<jlong>(did.strategy), number_of(did.entry), number_of(did.reason),
                               static_cast<jlong>(did.ignored)});
}
