import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertV2, type Options } from 'openapi-to-postmanv2';

const openApiFile = join(__dirname, '../api/openapi.json');

/** The parts of a Postman collection (format 2.1) that are changed after the conversion. */
interface Collection {
  info: Record<string, unknown>;
  item: Item[];
  auth?: unknown;
  event: unknown[];
  variable: unknown[];
}
interface Item {
  name: string;
  item?: Item[];
  request?: Request;
  response?: unknown[];
  event?: unknown[];
}
interface Request {
  method: string;
  url: { path: string[]; query: { key: string; value: string }[]; variable: { key: string; value: string }[] };
  header: { key: string; value: string; disabled?: boolean }[];
  body?: { raw?: string };
  auth?: unknown;
}

/** Options of openapi-to-postmanv2: folders by tag, bodies from the document's examples, optional parameters switched off. */
const options: Options = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  includeAuthInfoInExample: false,
  enableOptionalParameters: false,
  alwaysInheritAuthentication: true,
};

const secret = (key: string, description: string) => ({ key, value: '', type: 'secret', description });
const text = (key: string, value: string, description: string) => ({ key, value, type: 'string', description });

/** What a partner fills in, and what the scripts remember. */
const variables = [
  text('baseUrl', 'http://127.0.0.1:3000', 'REST address of the deployment; this one is that of npm start'),
  text('clientId', '', 'Client id, issued by the operator'),
  secret('clientSecret', 'Client secret, issued by the operator'),
  secret('apiKey', 'API key, issued by the operator'),
  secret('accessToken', 'Set by a script: the current access token'),
  text('accessTokenEndsAt', '0', 'Set by a script: when a new token is due, Unix ms'),
  text('deviceGroupId', '', 'Set by «List the device groups»: the first group'),
  text('deviceId', '', 'Set by «List the device groups»: its first device'),
  text('jobId', '', 'Set by «Create a job»'),
  text('commandId', '', 'Set by «Send a command to a device in flight»'),
  text('missionId', '', 'Set by «Create a mission from a file»'),
  secret('shareCode', 'Set by «Share a device»'),
];

/** Variables in place of the examples of identifiers and credentials. */
const placeholders: Readonly<Record<string, string>> = {
  client_id: '{{clientId}}',
  client_secret: '{{clientSecret}}',
  deviceGroupId: '{{deviceGroupId}}',
  deviceId: '{{deviceId}}',
  resourceId: '{{deviceId}}',
};

/** Fields of examples with which a request can't be sent at any time: a time that passes, a status that has moved on. */
const leftOut = ['scheduledAt', 'status'];

/** A script that remembers an identifier of what was created. */
const remember = (status: number, variable: string, resource: string) =>
  `if (pm.response.code === ${status}) pm.collectionVariables.set('${variable}', pm.response.json().${resource}.${variable});`;

/** Scripts that run after a request, by method and path. */
const testScripts: Readonly<Record<string, string>> = {
  'GET v3/resources': `if (pm.response.code === 200) {
  const group = pm.response.json().resources.find(({ devices }) => devices.length > 0);
  if (group) {
    pm.collectionVariables.set('deviceGroupId', group.deviceGroupId);
    pm.collectionVariables.set('deviceId', group.devices[0].deviceId);
  }
}`,
  'POST v3/jobs/create': remember(201, 'jobId', 'job'),
  'POST v3/devices/:deviceId/commands': remember(202, 'commandId', 'command'),
  'POST v3/missions': remember(201, 'missionId', 'mission'),
  'POST v3/streams/share': remember(201, 'shareCode', 'share'),
};

/** Runs before each request. */
const accessTokenScript = readFileSync(join(__dirname, 'access-token.js'), 'utf8').trimEnd();

/** An event of the collection that runs a script. */
const event = (listen: 'prerequest' | 'test', script: string) => ({
  listen,
  script: { type: 'text/javascript', exec: script.split('\n') },
});

/** Folders and methods in an order in which all requests can be sent one after the other. */
const FOLDERS = ['Tokens', 'Resources', 'Limits', 'Missions', 'Jobs', 'Commands', 'Shares', 'Events'];
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

/** A collection for Postman with every request of the OpenAPI document in git, which gets its tokens by itself. */
export async function postmanCollection(): Promise<object> {
  const { info, item } = await convert(JSON.parse(readFileSync(openApiFile, 'utf8')) as object);
  const { _postman_id: _random, ...described } = info;
  return {
    info: described,
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] },
    event: [event('prerequest', accessTokenScript)],
    variable: variables,
    item: item.sort((a, b) => FOLDERS.indexOf(a.name) - FOLDERS.indexOf(b.name)).map(folder),
  };
}

function convert(openApi: object): Promise<Collection> {
  return new Promise((resolve, reject) => {
    convertV2({ type: 'json', data: openApi }, options, (error, converted) => {
      const collection: unknown = converted?.output?.[0]?.data;
      if (collection) resolve(collection as Collection);
      else reject(new Error(`openapi-to-postmanv2: ${converted?.reason ?? error?.message ?? 'no collection'}`));
    });
  });
}

/** Position of a request in its folder. A list finds what other requests name; a job is cancelled before it is deleted. */
function order({ request }: Item): number {
  const isCancel = request?.url.path.at(-1) === 'cancel';
  const isOfOne = request?.url.path.some((part) => part.startsWith(':')) ?? false;
  return METHODS.indexOf(request?.method ?? '') + (isCancel ? 2.5 : 0) + (isOfOne ? 0.25 : 0);
}

const folder = ({ name, item = [] }: Item) => ({
  name,
  item: item.sort((a, b) => order(a) - order(b)).map(completed),
});

/** A request with variables, and without the converter's random ids and its copies of the document's example replies. */
function completed({ name, request }: Item): object {
  if (!request) throw new Error(`${name} has no request`);
  const { body, ...bodiless } = request;
  const { url, header } = request;
  for (const variable of url.variable) variable.value = `{{${variable.key}}}`;
  // A `nextToken` has no example, and what the converter makes up for it is not always the same.
  for (const parameter of url.query)
    parameter.value = parameter.key === 'nextToken' ? '' : (placeholders[parameter.key] ?? parameter.value);
  for (const each of header)
    if (each.key === 'Idempotency-Key') Object.assign(each, { value: '{{$guid}}', disabled: false });
  if (body?.raw !== undefined) body.raw = JSON.stringify(bodyFrom(JSON.parse(body.raw) as object), undefined, 2);
  const path = url.path.join('/');
  const isToken = path === 'v3/auth/token';
  if (isToken) header.push({ key: 'x-api-key', value: '{{apiKey}}' });
  // Postman refuses an empty body, which the converter gives each request that has none.
  const sent = body?.raw === undefined ? bodiless : request;
  const script = testScripts[`${request.method} ${path}`];
  return {
    name,
    request: { ...sent, ...(isToken && { auth: { type: 'noauth' } }) },
    ...(script && { event: [event('test', script)] }),
  };
}

const bodyFrom = (example: object) =>
  Object.fromEntries(
    Object.entries(example)
      .filter(([name]) => !leftOut.includes(name))
      .map(([name, value]) => [name, placeholders[name] ?? (value as unknown)]),
  );
