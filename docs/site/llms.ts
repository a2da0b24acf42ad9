import { existingGuides } from './guides';

/** `llms.txt` (llmstxt.org): what programs that read for a model find here, as Markdown and JSON. */
export function llmsText(): string {
  const guides = existingGuides().map(({ slug, title, description }) =>
    item(title, `/docs/guides/${slug}.md`, description),
  );
  return [
    '# Drone Mission Integration API',
    '',
    '> REST API, MQTTS topics and WebSockets with which a partner of a drone platform creates jobs (drone missions), follows ' +
      'them live, publishes and receives telemetry, and shares the view of a drone. OAuth 2.0 client credentials and an API key.',
    '',
    '## Reference',
    '',
    item(
      'REST API',
      '/docs/openapi.json',
      'OpenAPI 3.1: every endpoint with its fields, replies, refusals and examples.',
    ),
    item(
      'Postman collection',
      '/docs/postman-collection.json',
      'The same endpoints as requests, which get their tokens by themselves.',
    ),
    item('Channels', '/docs/asyncapi.json', 'AsyncAPI 3: every topic and socket with its messages and examples.'),
    '',
    '## Guides',
    '',
    ...guides,
    '',
  ].join('\n');
}

const item = (title: string, path: string, description: string) =>
  `- [${title}](${path})${description && `: ${description}`}`;
