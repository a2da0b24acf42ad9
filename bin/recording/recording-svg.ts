/** A line of a program's output. */
export interface RecordedLine {
  /** Seconds since the program started. */
  readonly at: number;
  readonly text: string;
}

const LINE_PX = 19;
const CHARACTER_PX = 7.83;
const PADDING_PX = 18;
/** How long the whole stays before it begins anew, in seconds. */
const REST_S = 6;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * An animated SVG of a terminal in which a program's lines appear when they were printed, again and again. It has no script, so
 * that a README can show it as an image; with reduced motion all lines are there at once.
 */
export function recordingSvg(command: string, lines: readonly RecordedLine[]): string {
  const shown = [{ at: 0, text: `$ ${command}` }, ...lines];
  const duration = Math.max(...shown.map(({ at }) => at)) + REST_S;
  const width = Math.ceil(Math.max(...shown.map(({ text }) => text.length)) * CHARACTER_PX + 2 * PADDING_PX);
  const height = shown.length * LINE_PX + 2 * PADDING_PX;
  const keyframes = shown.map(({ at }, index) => {
    const percent = ((at / duration) * 100).toFixed(2);
    return `@keyframes l${index}{0%,${percent}%{opacity:0}${(Number(percent) + 0.01).toFixed(2)}%,100%{opacity:1}}`;
  });
  const rules = shown.map((_, index) => `.l${index}{animation:l${index} ${duration.toFixed(1)}s infinite}`);
  const texts = shown.map(({ text }, index) => {
    const y = PADDING_PX + (index + 0.75) * LINE_PX;
    return `<text class="l${index}" x="${PADDING_PX}" y="${y.toFixed(1)}" xml:space="preserve">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(command)}: ${escaped(lines.at(-1)?.text ?? '')}</title>
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e8eff5}
.l0{fill:#45c4d6}
${keyframes.join('\n')}
@media (prefers-reduced-motion:no-preference){${rules.join('')}}
</style>
<rect width="100%" height="100%" rx="10" fill="#0d151c"/>
${texts.join('\n')}
</svg>
`;
}
