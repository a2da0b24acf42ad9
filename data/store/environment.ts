/**
 * Reads an environment variable of the function.
 * @throws Error when it is missing or empty: a defect of `lib/`, not of a request
 */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set for this function`);
  return value;
}
