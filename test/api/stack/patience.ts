/** For a machine that is busy, not for a service that is slow: a test that hangs still ends. */
jest.setTimeout(60_000);
