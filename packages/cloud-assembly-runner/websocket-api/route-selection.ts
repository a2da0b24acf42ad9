/** API Gateway developer guide, "Selection expressions in API Gateway": route selection expressions. */

/** Returns the route key of a message; undefined when it has none. */
export type RouteSelection = (message: string) => string | undefined;

/** Compiles `$request.body.<path>` or `${request.body.<path>}`. @throws Error for another expression */
export function createRouteSelection(expression: string): RouteSelection {
  const [, path] = /^\$\{?request\.body\.([\w.]+)\}?$/.exec(expression) ?? [];
  if (path === undefined)
    throw new Error(`The route selection expression ${expression} is not supported on this machine`);
  const names = path.split('.');
  return (message) => {
    const value = names.reduce(member, parsed(message));
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    return String(value);
  };
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
