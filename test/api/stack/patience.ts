/** For a machine that is busy, not for a service that is slow: a test that hangs still ends. */
jest.setTimeout(60_000);

// Over real sockets and a browser the machine's load shows; a failure is printed and tried once more, not hidden.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
