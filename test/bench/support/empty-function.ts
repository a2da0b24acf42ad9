/** The overhead of a request without any work. */
export const handler = () => Promise.resolve({ statusCode: 200, body: '{}' });
