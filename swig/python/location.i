// SPDX-License-Identifier: Apache-2.0
// Locations: None is no location.
%typemap(in) location_code {
    if (!cmm_python::location_in($input, "$1_name", true, $1)) SWIG_fail;
}
%typemap(in) location_code l {
    if (!cmm_python::location_in($input, "location", false, $1)) SWIG_fail;
}
%typemap(out) location_code {
    $result = cmm_python::location_out($1);
    if (!$result) SWIG_fail;
}
