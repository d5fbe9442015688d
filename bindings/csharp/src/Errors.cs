// SPDX-License-Identifier: Apache-2.0
using System;

namespace Cmm
{
    /// <summary>What every exception of this library tells, whatever its class.</summary>
    public interface ICmmException
    {
        /// <summary>The argument to blame; empty where there is none.</summary>
        string Argument { get; }
        /// <summary>Which element of the argument.</summary>
        long? Index { get; }
        /// <summary>The second element, where two contradict each other.</summary>
        long? OtherIndex { get; }
    }

    /// <summary>A value that no machine accepts.</summary>
    public sealed class CmmArgumentException : ArgumentException, ICmmException
    {
        private readonly string text;
        internal CmmArgumentException(string message, string argument, long? index, long? other) : base(message, argument)
        {
            text = message;
            Argument = argument;
            Index = index;
            OtherIndex = other;
        }
        /// <inheritdoc/>
        public override string Message => text;
        /// <inheritdoc/>
        public string Argument { get; }
        /// <inheritdoc/>
        public long? Index { get; }
        /// <inheritdoc/>
        public long? OtherIndex { get; }
    }

    /// <summary>This driver, device or mode cannot do it.</summary>
    public sealed class CmmNotSupportedException : NotSupportedException, ICmmException
    {
        internal CmmNotSupportedException(string message, string argument, long? index, long? other) : base(message)
        {
            Argument = argument;
            Index = index;
            OtherIndex = other;
        }
        /// <inheritdoc/>
        public string Argument { get; }
        /// <inheritdoc/>
        public long? Index { get; }
        /// <inheritdoc/>
        public long? OtherIndex { get; }
    }

    /// <summary>The object was closed before.</summary>
    public sealed class CmmClosedException : ObjectDisposedException, ICmmException
    {
        private readonly string text;
        internal CmmClosedException(string message, string argument, long? index, long? other) : base(argument, message)
        {
            text = message;
            Argument = argument;
            Index = index;
            OtherIndex = other;
        }
        /// <inheritdoc/>
        public override string Message => text;
        /// <inheritdoc/>
        public string Argument { get; }
        /// <inheritdoc/>
        public long? Index { get; }
        /// <inheritdoc/>
        public long? OtherIndex { get; }
    }

    /// <summary>The driver refused a call, or there is none; and the mother of what else can go wrong.</summary>
    public class CmmException : Exception, ICmmException
    {
        internal CmmException(string message, string argument, long? index, long? other, int code, string name, string entry, ulong issued)
            : base(message)
        {
            Argument = argument;
            Index = index;
            OtherIndex = other;
            Code = code;
            Name = name;
            Entry = entry;
            Issued = issued;
        }
        /// <inheritdoc/>
        public string Argument { get; }
        /// <inheritdoc/>
        public long? Index { get; }
        /// <inheritdoc/>
        public long? OtherIndex { get; }
        /// <summary>The driver's code (CUresult); 0 where it is not the driver's.</summary>
        public int Code { get; }
        /// <summary>The code's name, such as CUDA_ERROR_INVALID_VALUE.</summary>
        public string Name { get; }
        /// <summary>The entry point that answered so.</summary>
        public string Entry { get; }
        /// <summary>How many runs of the operation had been issued before: moves stay, advice was taken back.</summary>
        public ulong Issued { get; }
    }

    /// <summary>No driver could be loaded.</summary>
    public sealed class DriverMissingException : CmmException
    {
        internal DriverMissingException(string message) : base(message, "", null, null, 0, "", "", 0) { }
    }

    /// <summary>The driver is out of memory.</summary>
    public sealed class CmmOutOfMemoryException : CmmException
    {
        internal CmmOutOfMemoryException(string message, string argument, long? index, long? other, int code, string name, string entry, ulong issued)
            : base(message, argument, index, other, code, name, entry, issued) { }
    }

    internal static class Errors
    {
        private static long? Optional(long index) => index < 0 ? (long?)null : index;

        internal static Exception Make(int kind, string message, string argument, long index, long other, int code, string name, string entry, ulong issued)
        {
            switch (kind)
            {
                case 1: return new CmmArgumentException(message, argument, Optional(index), Optional(other));
                case 2: return new CmmNotSupportedException(message, argument, Optional(index), Optional(other));
                case 3: return new CmmClosedException(message, argument, Optional(index), Optional(other));
                case 4: return new DriverMissingException(message);
                case 6: return new CmmOutOfMemoryException(message, argument, Optional(index), Optional(other), code, name, entry, issued);
                default: return new CmmException(message, argument, Optional(index), Optional(other), code, name, entry, issued);
            }
        }

        internal static void RequireNotNull(object given, string operation, string argument, long? index = null)
        {
            if (given == null)
                throw new CmmArgumentException(operation + ": " + argument + (index.HasValue ? "[" + index + "]" : "") + ": null was given", argument, index, null);
        }
    }
}
