/**
 * Renders an OpenAPI or AsyncAPI document with Scalar, which loads nothing from other hosts and sends no telemetry. Requests can
 * be tried against a stack on this machine, which permits the origin of this page; a deployed API permits no web pages, since
 * its clients are machines with secrets.
 */
import { keepAccessible } from './accessible-names';

interface Server {
  readonly url?: string;
  readonly protocol?: string;
  host?: string;
}
interface ApiDocument {
  readonly openapi?: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly externalDocs?: unknown;
  servers?: Server[] | Record<string, Server>;
  channels?: Record<string, { servers?: { $ref: string }[] }>;
}
interface Scalar {
  createApiReference(element: HTMLElement, configuration: object): unknown;
}

const isOnThisMachine = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);

/** Leaves the servers of the place that served this page: those of this machine, or those of the deployment. */
function keepServersOf(document: ApiDocument): ApiDocument {
  if (document.openapi !== undefined || document.servers === undefined) return document;
  const kept = Object.entries(document.servers as Record<string, Server>).filter(
    ([, { host = '' }]) => host.startsWith('127.0.0.1') === isOnThisMachine,
  );
  // WebSockets have the address of this page.
  for (const [, server] of kept) if (server.protocol?.startsWith('ws')) server.host = location.host;
  const references = new Set(kept.map(([name]) => `#/servers/${name}`));
  document.servers = Object.fromEntries(kept);
  for (const channel of Object.values(document.channels ?? {}))
    if (channel.servers) channel.servers = channel.servers.filter(({ $ref }) => references.has($ref));
  return document;
}

/** The reader's choice in the guides; undefined if it is left to the system. */
function chosenAppearance(): 'dark' | 'light' | undefined {
  const chosen = localStorage.getItem('vitepress-theme-appearance');
  return chosen === 'dark' || chosen === 'light' ? chosen : undefined;
}

/** Without the links that Scalar shows as icons that have no name (WCAG 4.1.2); the published document has them. */
function withoutIcons({ externalDocs: _docs, info, ...document }: ApiDocument): ApiDocument {
  const { contact: _contact, license: _licence, externalDocs: _infoDocs, ...named } = info;
  return { ...document, info: named };
}

async function render(element: HTMLElement): Promise<void> {
  const response = await fetch(element.dataset['document'] ?? '', { credentials: 'same-origin' });
  const content = withoutIcons(keepServersOf((await response.json()) as ApiDocument));
  const isOpenApi = content.openapi !== undefined;
  const notice = document.getElementById('try-it');
  if (notice && isOpenApi && isOnThisMachine) notice.hidden = false;
  const chosen = chosenAppearance();
  if (chosen) localStorage.setItem('colorMode', chosen);
  const { Scalar } = window as unknown as { Scalar: Scalar };
  Scalar.createApiReference(element, {
    content,
    customCss: colours,
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    hideTestRequestButton: !isOnThisMachine,
    defaultOpenFirstTag: true,
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'accessToken' },
    hiddenClients: hiddenClients(),
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  });
}

/** Languages other than those of the guides. */
function hiddenClients(): Record<string, true> {
  const others = ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'kotlin', 'objc', 'ocaml', 'php'];
  return Object.fromEntries([...others, 'powershell', 'r', 'ruby', 'rust', 'swift'].map((name) => [name, true]));
}

/** colours.css, put in by build.ts. */
declare const colours: string;

const element = document.getElementById('reference');
if (element) void render(element).then(keepAccessible);
