// SPDX-License-Identifier: Apache-2.0
// Java: the boundary as static methods of package-private classes, over which io.github.cmm is written by hand.
%include <std_string.i>
%include <std_string_view.i>

%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    NativeLibrary.load();
  }
%}

%rename("%(lowercamelcase)s", %$isfunction) "";

// Unsigned numbers cross as the signed ones of their size: Java has no others, and BigInteger serves nobody.
%apply long long {
    unsigned long, unsigned long long, uint64_t, std::uint64_t, int64_t, std::int64_t,
    size_t, std::size_t,
    handle, buffer_handle, resource_handle, stream_handle, event_handle, plan_handle, view_handle
};
%apply int { unsigned int, uint32_t, std::uint32_t, int32_t, std::int32_t };

// Results of several numbers cross as long[] (location.i): the classes that values.i would name are records in
// the hand-written package.
#define Report $ignore
#define ArenaStatistics $ignore
#define MemoryInformation $ignore
#define AccessorSet $ignore

// What the crossing of values needs of JNI.
%fragment("cmm_java_throw", "header") %{
namespace {

void throw_new(JNIEnv* env, const char* name, const char* text) noexcept {
    if (const jclass type = env->FindClass(name))
        env->ThrowNew(type, text);
}

jlongArray new_longs(JNIEnv* env, const jlong* values, std::size_t count) noexcept {
    const jlongArray out = env->NewLongArray(static_cast<jsize>(count));
    if (out)
        env->SetLongArrayRegion(out, 0, static_cast<jsize>(count), values);
    return out;
}

template <std::size_t N> jlongArray new_longs(JNIEnv* env, const jlong (&values)[N]) noexcept {
    return new_longs(env, values, N);
}

} // namespace
%}

%typemap(jni) std::vector<handle> "jlongArray"
%typemap(jtype) std::vector<handle> "long[]"
%typemap(jstype) std::vector<handle> "long[]"
%typemap(javaout) std::vector<handle> { return $jnicall; }
%typemap(out, fragment="cmm_java_throw") std::vector<handle> {
    const std::vector<handle>& made = $1;
    $result = new_longs(jenv, reinterpret_cast<const jlong*>(made.data()), made.size());
}
