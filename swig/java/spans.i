// SPDX-License-Identifier: Apache-2.0
// Sequences: each crosses once, as one long[] that is copied (never pinned: a driver call may take long).
%fragment("cmm_java_spans", "header", fragment="cmm_java_throw") %{
namespace {

// The items of one argument, for the length of a call.
template <class T> class crossed {
public:
    // Makes each item of `Longs` numbers. False: a Java exception is pending.
    template <std::size_t Longs, class Make> bool take(JNIEnv* env, jlongArray from, Make make) noexcept {
        if (!from) {
            throw_new(env, "java/lang/NullPointerException", "a sequence is null");
            return false;
        }
        count_ = static_cast<std::size_t>(env->GetArrayLength(from)) / Longs;
        T* const to = room(env);
        if (!to)
            return false;
        jlong piece[few * Longs];
        for (std::size_t done = 0; done < count_;) {
            const std::size_t n = std::min(few, count_ - done);
            env->GetLongArrayRegion(from, static_cast<jsize>(done * Longs), static_cast<jsize>(n * Longs), piece);
            for (std::size_t i = 0; i < n; ++i)
                to[done + i] = make(piece + i * Longs);
            done += n;
        }
        return true;
    }
    std::span<const T> items() const noexcept { return {many_ ? many_.get() : few_, count_}; }

private:
    static constexpr std::size_t few = 64;

    T* room(JNIEnv* env) noexcept {
        if (count_ <= few)
            return few_;
        many_.reset(new (std::nothrow) T[count_]);
        if (!many_)
            throw_new(env, "java/lang/OutOfMemoryError", "no native memory for a sequence");
        return many_.get();
    }

    T few_[few];
    std::unique_ptr<T[]> many_;
    std::size_t count_ = 0;
};

using crossed_targets = crossed<target_code>;
using crossed_locations = crossed<location_code>;
using crossed_copy_options = crossed<copy_options_code>;
using crossed_sizes = crossed<std::uint64_t>;

} // namespace
%}

%define CMM_JAVA_SPAN(TYPE, CROSSED, LONGS, MAKE)
%typemap(jni) std::span<const TYPE> "jlongArray"
%typemap(jtype) std::span<const TYPE> "long[]"
%typemap(jstype) std::span<const TYPE> "long[]"
%typemap(javain) std::span<const TYPE> "$javainput"
%typemap(in, fragment="cmm_java_spans,cmm_java_values") std::span<const TYPE> (CROSSED room) {
    if (!room.take<LONGS>(jenv, $input, MAKE))
        return $null;
    $1 = room.items();
}
%enddef

CMM_JAVA_SPAN(target_code, crossed_targets, 1, as_target)
CMM_JAVA_SPAN(location_code, crossed_locations, 1, as_location_item)
CMM_JAVA_SPAN(copy_options_code, crossed_copy_options, 3, as_copy_options_item)
CMM_JAVA_SPAN(std::uint64_t, crossed_sizes, 1, as_size)
