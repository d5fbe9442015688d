// SPDX-License-Identifier: Apache-2.0
// Objects that stand for handles. The package derives its classes from these; each closes its handle when it
// goes, and work in flight keeps the memory as cmm itself does.
%{
#include "objects.hpp"
#include "streams.hpp"
#include "locations.hpp"
#include "buffers.hpp"
#include "dlpack.hpp"
%}
namespace cmm::boundary { typedef std::uint64_t handle; }
%typemap(in) handle, cmm::boundary::handle {
    if (!cmm_python::whole_unsigned($input, "$1_name", $1)) SWIG_fail;
}
%typemap(out) handle, buffer_handle, resource_handle, stream_handle, event_handle, plan_handle, view_handle
    "$result = PyLong_FromUnsignedLongLong($1);"
%typemap(in) buffer_handle { if (!cmm_python::handle_of<BufferBase>($input, "$1_name", $1)) SWIG_fail; }
%typemap(in) resource_handle { if (!cmm_python::handle_of<ResourceBase>($input, "$1_name", $1)) SWIG_fail; }
%typemap(in) stream_handle { if (!cmm_python::handle_of<StreamBase>($input, "$1_name", $1)) SWIG_fail; }
%typemap(in) event_handle { if (!cmm_python::handle_of<EventBase>($input, "$1_name", $1)) SWIG_fail; }
%typemap(in) plan_handle { if (!cmm_python::handle_of<PlanBase>($input, "$1_name", $1)) SWIG_fail; }
%typemap(in) view_handle = handle;
%typemap(in) (std::uint64_t bytes), (std::uint64_t offset), (std::uint64_t slab_bytes), (std::uint64_t limit_bytes) {
    if (!cmm_python::whole_unsigned($input, "$1_name", $1)) SWIG_fail;
}
%typemap(in) std::int32_t device, std::int32_t priority {
    if (!cmm_python::whole32($input, "$1_name", $1)) SWIG_fail;
}
%typemap(in) bool wanted, bool timing, bool blocking {
    const int truth = PyObject_IsTrue($input);
    if (truth < 0) SWIG_fail;
    $1 = truth != 0;
}

%typemap(in) bool read_mostly {
    if (!PyBool_Check($input)) {
        cmm_python::refuse_type("read_mostly", -1, "True or False", $input);
        SWIG_fail;
    }
    $1 = $input == Py_True;
}

%nodefaultctor LocationBase;
%nodefaultctor BufferBase;
%nodefaultctor ResourceBase;
%nodefaultctor StreamBase;
%nodefaultctor EventBase;
%nodefaultctor PlanBase;
%feature("python:bf_getbuffer") BufferBase "cmm_python::get_buffer";
%feature("python:bf_releasebuffer") BufferBase "cmm_python::release_buffer";

%feature("python:tp_hash") LocationBase "cmm_python::location_hash";
struct LocationBase {};
%define CMM_HANDLE(CLASS)
%exception CLASS::~CLASS "$action"
struct CLASS {};
%extend CLASS { ~CLASS() { cmm_python::destroy($self); } }
%enddef
CMM_HANDLE(BufferBase)
CMM_HANDLE(ResourceBase)
CMM_HANDLE(StreamBase)
CMM_HANDLE(EventBase)
CMM_HANDLE(PlanBase)

%define CMM_PROPERTY(CLASS, TYPE, NAME)
%extend CLASS { TYPE NAME; }
%enddef
%define CMM_READ_ONLY(CLASS, TYPE, NAME)
%immutable CLASS::NAME;
%extend CLASS { TYPE NAME; }
%enddef
// What needs no driver keeps the lock.
%define CMM_PLAIN(CLASS, NAME)
%exception CLASS::NAME { try { $action } catch (...) { cmm_python::raise_current(); SWIG_fail; } }
%enddef

CMM_PLAIN(LocationBase, kind)
CMM_PLAIN(LocationBase, id)
CMM_READ_ONLY(LocationBase, std::int32_t, kind)
CMM_READ_ONLY(LocationBase, std::int32_t, id)

CMM_PLAIN(BufferBase, handle)
CMM_PLAIN(BufferBase, size)
CMM_PLAIN(BufferBase, is_closed)
CMM_READ_ONLY(BufferBase, std::uint64_t, handle)
CMM_READ_ONLY(BufferBase, std::uint64_t, size)
CMM_READ_ONLY(BufferBase, bool, is_closed)
CMM_PROPERTY(BufferBase, bool, read_mostly)
CMM_PLAIN(BufferBase, preferred_location)
CMM_PLAIN(BufferBase, last_prefetch_location)
CMM_PROPERTY(BufferBase, PyObject*, preferred_location)
CMM_READ_ONLY(BufferBase, PyObject*, last_prefetch_location)

CMM_PLAIN(StreamBase, is_closed)
CMM_READ_ONLY(StreamBase, bool, is_closed)
CMM_PLAIN(EventBase, is_closed)
CMM_READ_ONLY(EventBase, bool, is_closed)
CMM_PLAIN(PlanBase, is_closed)
CMM_READ_ONLY(PlanBase, bool, is_closed)
CMM_PLAIN(ResourceBase, is_closed)
CMM_READ_ONLY(ResourceBase, bool, is_closed)

%define CMM_PYTHON_CODE(NAME)
%exception NAME { $action if (!result) SWIG_fail; }
%enddef
CMM_PYTHON_CODE(make_location)
CMM_PYTHON_CODE(make_buffer)
CMM_PYTHON_CODE(finalize_class)
CMM_PYTHON_CODE(make_object)
CMM_PYTHON_CODE(make_stream)
CMM_PYTHON_CODE(allocate)
%exception stream_number { try { $action } catch (...) { cmm_python::raise_current(); SWIG_fail; } if (PyErr_Occurred()) SWIG_fail; }
CMM_PYTHON_CODE(borrow)
CMM_PYTHON_CODE(close_object)
CMM_PYTHON_CODE(close_buffer)
CMM_PYTHON_CODE(dlpack)
CMM_PYTHON_CODE(set_error_factory)
CMM_PYTHON_CODE(set_stream_reader)
CMM_PYTHON_CODE(set_location_factory)
CMM_PYTHON_CODE(leave)
%inline %{
PyObject* set_stream_reader(PyObject* f) { return cmm_python::keep(cmm_python::stream_reader, f); }
PyObject* set_location_factory(PyObject* f) { return cmm_python::keep(cmm_python::location_factory, f); }
// (class, kind, id): a location of that class.
PyObject* make_location(PyObject* cls, int kind, int id) {
    return cmm_python::make(cls, new LocationBase{kind, id});
}
// (class, handle): takes over a handle of the class's kind.
PyObject* make_buffer(PyObject* cls, PyObject* h) { return cmm_python::adopt_buffer(cls, PyLong_AsUnsignedLongLong(h)); }
PyObject* finalize_class(PyObject* cls) { return cmm_python::finalize_class(cls); }
PyObject* make_object(PyObject* cls, PyObject* h) { return cmm_python::adopt(cls, PyLong_AsUnsignedLongLong(h)); }
// (class, number): a stream of somebody else's.
PyObject* make_stream(PyObject* cls, PyObject* raw) { return cmm_python::borrow_stream(cls, raw); }
std::uint64_t stream_number(PyObject* stream) { return cmm_python::stream_number(stream); }
PyObject* allocate(PyObject* resource, PyObject* size, PyObject* cls) { return cmm_python::allocate(resource, size, cls); }
PyObject* borrow(PyObject* cls, PyObject* address, PyObject* size, PyObject* managed, PyObject* owner) {
    return cmm_python::borrow(cls, address, size, managed == Py_True, owner);
}
PyObject* close_object(PyObject* o) { return cmm_python::close_object(o); }
// With a stream (or None), behind the work that it holds now.
PyObject* close_buffer(PyObject* o, PyObject* stream) { return cmm_python::close_buffer(o, stream); }
PyObject* dlpack(PyObject* o, PyObject* versioned, PyObject* device_type, PyObject* device) {
    return cmm_python::dlpack(o, versioned == Py_True, device_type, device);
}
PyObject* leave() { return cmm_python::leave(); }
%}
%init %{
    cmm_python::start();
%}
