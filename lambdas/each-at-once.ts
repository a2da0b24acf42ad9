/** Sockets that are served at the same time; also bounds what waits in memory. */
const AT_ONCE = 50;

/** Serves every element, a bounded number at the same time. @throws what `serve` throws, once those begun are done */
export async function eachAtOnce<Element>(
  elements: readonly Element[],
  serve: (element: Element) => Promise<unknown>,
): Promise<void> {
  const waiting = elements.values();
  const worker = async () => {
    for (const element of waiting) await serve(element);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, elements.length) }, worker));
}
