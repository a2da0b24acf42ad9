/** Path of the docs site, on the host of the channels and as a redirect on that of the REST API. */
export const DOCS_PATH = '/docs';

/**
 * Page for paths without one, which the theme fills. It is part of the template, and these two files have the names of
 * the built ones (docs/site/build.ts).
 */
export const notFoundPage = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <title>404 | Drone Mission Integration API</title>
    <link rel="stylesheet" href="${DOCS_PATH}/not-found.css">
    <script type="module" src="${DOCS_PATH}/not-found.js"></script>
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
`;

/**
 * Generates the code of a CloudFront function (cloudfront-js-2.0) that maps `/docs/guides/jobs` to the file `guides/jobs.html`,
 * and answers 404 for a page that does not exist: the bucket would answer 403, and the distribution's error pages are those of
 * the channels. It passes on every path below `/docs/assets/`.
 * @param files of the site, relative to `/docs/`, without those below `assets/`
 * @param notFound HTML of the page for paths without one
 */
export function docsPathsCode(files: readonly string[], notFound: string): string {
  const pages = Object.fromEntries([...files].sort().map((file) => [pathOf(file), `${DOCS_PATH}/${file}`]));
  return `const pages = ${JSON.stringify(pages)};
function handler(event) {
  const request = event.request;
  request.querystring = {};
  if (request.uri.startsWith('${DOCS_PATH}/assets/')) return request;
  if (request.uri === '${DOCS_PATH}') {
    return { statusCode: 302, statusDescription: 'Found', headers: { location: { value: '${DOCS_PATH}/' } } };
  }
  const file = Object.prototype.hasOwnProperty.call(pages, request.uri) ? pages[request.uri] : undefined;
  if (file === undefined) {
    return {
      statusCode: 404,
      statusDescription: 'Not Found',
      headers: { 'content-type': { value: 'text/html; charset=utf-8' } },
      body: { encoding: 'text', data: ${JSON.stringify(notFound)} },
    };
  }
  request.uri = file;
  return request;
}
`;
}

/** A page has no `.html` in its path, and an index none at all. */
const pathOf = (file: string) => `${DOCS_PATH}/${file.replace(/(^|(?<=\/))index\.html$/, '').replace(/\.html$/, '')}`;
