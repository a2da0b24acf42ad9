/** What a request costs before anything is done for it. */
export const handler = () => Promise.resolve({ statusCode: 200, body: '{}' });
