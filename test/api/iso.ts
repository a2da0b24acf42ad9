/** Matches a time as the service writes it. Apart from what programs without jest import, too. */
export const iso = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;
