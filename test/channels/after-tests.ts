let isKept = false;

/** Connections that a test leaves open stay so until the last test of its file has ended, not only until its own end. */
export function keepConnections(): void {
  isKept = true;
}

/** Closes what tests leave open: after each test, or after the last one of a file that keeps its connections. */
export function afterTests(close: () => Promise<void>): void {
  afterEach(async () => {
    if (!isKept) await close();
  });
  afterAll(close);
}
