// SPDX-License-Identifier: Apache-2.0
// Errors: what cmm throws becomes the exception that io.github.cmm.Errors makes of its record.
%fragment("cmm_java_errors", "header", fragment="cmm_java_throw") %{
namespace {

constexpr const char* make_error_signature =
    "(ILjava/lang/String;Ljava/lang/String;JJILjava/lang/String;Ljava/lang/String;J)Ljava/lang/RuntimeException;";

// Makes the Java exception of the C++ one that is being handled. Nothing here is kept between calls, so that
// class loaders may come and go.
void throw_current(JNIEnv* env) noexcept {
    const cmm::boundary::error_record& e = cmm::boundary::current_error();
    if (env->ExceptionCheck())
        return;
    const jclass errors = env->FindClass("io/github/cmm/Errors");
    if (!errors)
        return;
    const jmethodID make = env->GetStaticMethodID(errors, "make", make_error_signature);
    if (!make)
        return;
    jstring texts[4] = {};
    const char* const given[4] = {e.message.c_str(), e.argument.c_str(), e.name.c_str(), e.entry.c_str()};
    for (int i = 0; i < 4; ++i)
        if (!(texts[i] = env->NewStringUTF(given[i])))
            return;
    const jobject made = env->CallStaticObjectMethod(
        errors, make, static_cast<jint>(e.kind), texts[0], texts[1], static_cast<jlong>(e.index),
        static_cast<jlong>(e.other_index), static_cast<jint>(e.code), texts[2], texts[3],
        static_cast<jlong>(e.issued));
    if (!env->ExceptionCheck() && made)
        env->Throw(static_cast<jthrowable>(made));
}

} // namespace
%}
%fragment("cmm_java_errors");

%exception {
    try {
        $action
    } catch (...) {
        throw_current(jenv);
        return $null;
    }
}
