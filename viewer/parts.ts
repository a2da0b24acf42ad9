const failed = new Set<string>();

/** Writes the first error of a part of the page to the console. */
export function reportPart(name: string, error: unknown): void {
  if (!failed.has(name)) console.error(name, error);
  failed.add(name);
}

/** Runs a part of the page by itself: the others go on when it fails. @returns what it returns; undefined when it fails */
export function part<Result>(name: string, run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    reportPart(name, error);
    return undefined;
  }
}
