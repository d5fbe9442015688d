// SPDX-License-Identifier: Apache-2.0
// Errors: what cmm throws is handed to Cmm.Errors, whose exception is thrown once the call is back in C#.
%insert(runtime) %{
typedef void(SWIGSTDCALL* cmm_error_callback)(int kind, const char* message, const char* argument, long long index,
                                              long long other_index, int code, const char* name, const char* entry,
                                              unsigned long long issued);
static cmm_error_callback cmm_raise = nullptr;
%}
%{
extern "C" SWIGEXPORT void SWIGSTDCALL CmmRegisterErrors(cmm_error_callback raise) { cmm_raise = raise; }

namespace {

void raise_current() noexcept {
    const cmm::boundary::error_record& e = cmm::boundary::current_error();
    if (cmm_raise)
        cmm_raise(static_cast<int>(e.kind), e.message.c_str(), e.argument.c_str(), e.index, e.other_index, e.code,
                  e.name.c_str(), e.entry.c_str(), e.issued);
}

} // namespace
%}
%exception {
    try {
        $action
    } catch (...) {
        raise_current();
        return $null;
    }
}
// Every call looks for a pending exception when it is back.
%feature("except:canthrow", "1");

%pragma(csharp) imclasscode=%{
  [global::System.Runtime.InteropServices.UnmanagedFunctionPointer(global::System.Runtime.InteropServices.CallingConvention.StdCall)]
  internal delegate void ErrorCallback(int kind, string message, string argument, long index, long otherIndex, int code, string name, string entry, ulong issued);
  [global::System.Runtime.InteropServices.DllImport("$dllimport")]
  private static extern void CmmRegisterErrors(ErrorCallback callback);
  private static void Raise(int kind, string message, string argument, long index, long otherIndex, int code, string name, string entry, ulong issued) {
    SWIGPendingException.Set(Errors.Make(kind, message, argument, index, otherIndex, code, name, entry, issued));
  }
  // Kept here, so that it is never collected.
  private static readonly ErrorCallback raise = RegisterErrors();
  private static ErrorCallback RegisterErrors() {
    ErrorCallback callback = Raise;
    CmmRegisterErrors(callback);
    return callback;
  }
%}
