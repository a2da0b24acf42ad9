import { useData, withBase } from 'vitepress';
import { defineComponent, h, onMounted, onUnmounted, ref, watch } from 'vue';

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
interface Reference {
  destroy(): void;
}
interface Scalar {
  readonly createApiReference: (element: HTMLElement, configuration: object) => Reference;
}

/** Path of Scalar's bundle, put in by the configuration of the build. */
declare const SCALAR: string;

/**
 * The reference of an OpenAPI or AsyncAPI document by Scalar, which loads nothing from other hosts and sends no telemetry.
 * Requests can be tried against a stack on this machine, which permits the origin of this page; a deployed API permits no web
 * pages, since its clients are machines with secrets. The content of the element tells how, and is shown there only.
 */
export const ApiReference = defineComponent({
  props: { document: { type: String, required: true } },
  setup({ document: name }, { slots }) {
    const path = withBase(`/${name}`);
    const { isDark } = useData();
    const element = ref<HTMLElement>();
    const canTry = ref(false);
    let leave = () => {};
    let isHere = true;

    onMounted(async () => {
      const [{ createApiReference }, content] = await Promise.all([loadScalar(), readDocument(path)]);
      if (!isHere || !element.value) return;
      canTry.value = isOnThisMachine();
      const reference = createApiReference(element.value, {
        ...settings,
        content,
        hideTestRequestButton: !canTry.value,
        forceDarkModeState: isDark.value ? 'dark' : 'light',
      });
      keepAccessible();
      // Scalar looks at the configured state only once.
      const unwatch = watch(isDark, (dark) => {
        document.body.classList.toggle('dark-mode', dark);
        document.body.classList.toggle('light-mode', !dark);
      });
      leave = () => {
        unwatch();
        reference.destroy();
      };
    });
    onUnmounted(() => {
      isHere = false;
      leave();
    });

    // Links of Scalar are not the router's: `vp-raw`.
    return () =>
      h('div', { class: 'vp-raw reference' }, [
        canTry.value && slots['default'] ? h('p', { class: 'notice' }, slots['default']()) : undefined,
        h('div', { ref: element }),
        // As HTML, since a browser with scripts reads it as text.
        h('noscript', {
          innerHTML: `<p>The reference needs JavaScript. The document itself: <a href="${path}">${path}</a></p>`,
        }),
      ]);
  },
});

/** Of Scalar, for all documents. */
const settings = {
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  // The header's search has Ctrl+K.
  searchHotKey: 'j',
  defaultOpenFirstTag: true,
  persistAuth: false,
  authentication: { preferredSecurityScheme: ['accessToken', 'apiKey'] },
  hiddenClients: hiddenClients(),
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/** Languages other than those of the guides. */
function hiddenClients(): Record<string, true> {
  const others = ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'kotlin', 'objc', 'ocaml', 'php'];
  return Object.fromEntries([...others, 'powershell', 'r', 'ruby', 'rust', 'swift'].map((name) => [name, true]));
}

/** Scalar, which its script defines on the window. */
async function loadScalar(): Promise<Scalar> {
  const global = window as { Scalar?: Scalar };
  if (!global.Scalar) {
    const script = Object.assign(document.createElement('script'), { src: SCALAR });
    document.head.append(script);
    await new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
  }
  if (!global.Scalar) throw new Error(`${SCALAR} does not define Scalar`);
  return global.Scalar;
}

const isOnThisMachine = () => ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);

/** The document as Scalar shows it. */
async function readDocument(path: string): Promise<ApiDocument> {
  const response = await fetch(path, { credentials: 'same-origin' });
  return withoutIcons(keepServersOf((await response.json()) as ApiDocument));
}

/** Leaves the servers of the place that served this page: those of this machine, or those of the deployment. */
function keepServersOf(document: ApiDocument): ApiDocument {
  if (document.openapi !== undefined || document.servers === undefined) return document;
  const kept = Object.entries(document.servers as Record<string, Server>).filter(
    ([name]) => name.startsWith('local') === isOnThisMachine(),
  );
  // WebSockets have the address of this page.
  for (const [, server] of kept) if (server.protocol?.startsWith('ws')) server.host = location.host;
  const references = new Set(kept.map(([name]) => `#/servers/${name}`));
  document.servers = Object.fromEntries(kept);
  for (const channel of Object.values(document.channels ?? {}))
    if (channel.servers) channel.servers = channel.servers.filter(({ $ref }) => references.has($ref));
  return document;
}

/** Without the links that Scalar shows as icons that have no name (WCAG 4.1.2); the published document has them. */
function withoutIcons({ externalDocs: _docs, info, ...document }: ApiDocument): ApiDocument {
  const { contact: _contact, license: _licence, externalDocs: _infoDocs, ...named } = info;
  return { ...document, info: named };
}

/** What Scalar's elements lack for screen readers and keyboards (WCAG 4.1.2, 2.1.1), by selector. */
const repairs: Readonly<Record<string, (element: Element) => void>> = {
  // Its icon has no text, and it names an element that does not exist yet.
  '[class*="copy-button"]:not([aria-label])': (button) => {
    button.setAttribute('aria-label', 'Copy');
    button.removeAttribute('aria-controls');
  },
  // A long path makes it scroll.
  'ul.endpoints:not([tabindex])': (list) => list.setAttribute('tabindex', '0'),
  // The name of the header that has the API key.
  '.code-input-lite__editor[data-placeholder]:not([aria-label])': (field) =>
    field.setAttribute('aria-label', field.getAttribute('data-placeholder') ?? ''),
  'button[role="none"]': (button) => button.removeAttribute('role'),
  // It suggests values, but never says whether a list is open.
  '.code-input-lite__editor[role="combobox"]': (field) => {
    field.setAttribute('role', 'textbox');
    field.removeAttribute('aria-autocomplete');
  },
  '.cm-content[role="textbox"]:not([aria-label])': (text) => text.setAttribute('aria-label', 'Body'),
  // A long response scrolls, and has nothing in it that a keyboard reaches.
  '.cm-scroller[tabindex="-1"]:not(:has([contenteditable="true"]))': (area) => area.setAttribute('tabindex', '0'),
  // The label is another text than the one that is shown.
  'button.show-more[aria-label]': (button) => button.removeAttribute('aria-label'),
};

/** Repairs all elements of the page, now and whenever Scalar adds some. */
function keepAccessible(): void {
  const repair = () => {
    for (const [selector, apply] of Object.entries(repairs)) document.querySelectorAll(selector).forEach(apply);
  };
  let planned = false;
  new MutationObserver(() => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      repair();
    });
  }).observe(document.body, { childList: true, subtree: true });
  repair();
}
