/** Groups elements by key, in order of arrival. */
export function groupBy<Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string): Map<string, Thing[]> {
  const groups = new Map<string, Thing[]>();
  for (const thing of things) groups.set(nameOf(thing), [...(groups.get(nameOf(thing)) ?? []), thing]);
  return groups;
}
