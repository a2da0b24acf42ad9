/**
 * Parses an InputPath, which selects the part of an event that a target receives: `$` for all of it, `$.detail.id` for
 * a field (EventBridge user guide, "Input transformation"). Undefined for any other path.
 */
export function parseInputPath(path: string): ((event: unknown) => unknown) | undefined {
  if (!/^\$(\.[\w-]+)*$/.test(path)) return undefined;
  const names = path.split('.').slice(1);
  return (event) =>
    names.reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      event,
    );
}
