/** Something that still works, but should no longer be used. Dates are ISO 8601 in UTC. */
export interface Deprecation {
  /** Since when. */
  readonly since: string;
  /** When it ends: at least six months after the announcement to partners (docs/guides/versioning.md). */
  readonly sunset: string;
  /** Address of the page that says what to use instead. */
  readonly instead: string;
}

/** Headers of the responses of a deprecated endpoint: RFC 9745, and RFC 8594 for its end; none for any other. */
export function deprecationHeaders(deprecation: Deprecation | undefined): Record<string, string> {
  if (!deprecation) return {};
  const { since, sunset, instead } = deprecation;
  return {
    Deprecation: `@${Math.floor(Date.parse(since) / 1000)}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${instead}>; rel="deprecation"; type="text/html"`,
  };
}
