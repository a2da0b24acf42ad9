import { SaxesParser, type SaxesTagNS } from 'saxes';
import { invalid, type Refusal } from '../../domain/values/refusal';
import { shown } from './read-text';

/** An element of an XML document, its namespace resolved; `text` is its own, without that of its children. */
export interface XmlElement {
  /** Undefined for the root. */
  readonly parent: XmlElement | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
  /** Where its start tag ends, so where its text begins; counted from 1. */
  readonly line: number;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** Levels of elements; KML and WPML have less than 20. */
const MAX_DEPTH = 64;
/** Elements of a document: 5,000 waypoints of WPML with the actions that most of them have. */
const MAX_ELEMENTS = 300_000;
/** Attributes of an element, namespaces among them; KML and WPML have less than 10. */
const MAX_ATTRIBUTES = 100;

/** What is wrong with a line of an XML file. */
export const atLine = (line: number, message: string): Refusal => invalid(`line ${line}`, message);

/**
 * Reads XML 1.0 with namespaces. A document type is refused as such: nothing in it, neither an entity nor a file that it names,
 * is ever looked at.
 * @throws Refusal `invalid_request` with the line, for what is not well-formed, deeper than 64 levels or not UTF-8 as
 * it says itself
 */
export function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let count = 0;
  let attributes = 0;
  parser.on('error', ({ message }) => {
    // The parser's own text, which begins with the line and may repeat what is written there.
    const reason = message
      .slice(0, 120)
      .replace(/^[\d:]+ /, '')
      .slice(0, 100)
      .toWellFormed();
    throw atLine(parser.line, `is not well-formed XML: ${reason}`);
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^utf-8$/i.test(encoding))
      throw atLine(parser.line, `must be in UTF-8, not in ${shown(encoding)}`);
  });
  parser.on('doctype', () => {
    throw atLine(parser.line, 'has a document type (DOCTYPE), which is not allowed');
  });
  parser.on('opentagstart', () => {
    count += 1;
    attributes = 0;
    if (open.length === MAX_DEPTH)
      throw atLine(parser.line, `elements must not be nested deeper than ${MAX_DEPTH} levels`);
    if (count > MAX_ELEMENTS) throw atLine(parser.line, `must have at most ${MAX_ELEMENTS} elements`);
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES)
      throw atLine(parser.line, `an element must have at most ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', (tag) => {
    const parent = open.at(-1);
    const element = elementOf(tag, parent, parser.line);
    parent?.children.push(element);
    open.push(element);
    root ??= element;
  });
  const addText = (part: string) => {
    const element = open.at(-1);
    if (element) element.text += part;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  if (!root) throw atLine(1, 'is not an XML document');
  return root;
}

const elementOf = (
  { uri, local, attributes }: SaxesTagNS,
  parent: XmlElement | undefined,
  line: number,
): OpenElement => ({
  parent,
  namespace: uri,
  name: local,
  attributes: Object.fromEntries(Object.values(attributes).map((attribute) => [attribute.name, attribute.value])),
  children: [],
  text: '',
  line,
});

/** An element and all below it, in the order of the document. Each is visited once, without a step for each level above it. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  const waiting = [element];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    for (const child of next.children.toReversed()) waiting.push(child);
  }
}

/** The nearest element around another one that is of a kind; undefined when there is none. */
export function ancestorOf(element: XmlElement, isIt: (ancestor: XmlElement) => boolean): XmlElement | undefined {
  let ancestor = element.parent;
  while (ancestor && !isIt(ancestor)) ancestor = ancestor.parent;
  return ancestor;
}

/** The text of an element, without space around it; undefined when it has none. */
export const textOf = (element: XmlElement | undefined): string | undefined => element?.text.trim() || undefined;
