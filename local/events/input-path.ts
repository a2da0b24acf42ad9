/**
 * Reads an InputPath, which says what part of an event a target gets: `$` for all of it, `$.detail.id` for a part (EventBridge
 * user guide, "Input transformation"). Gives nothing for another path.
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
