import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { formatted } from '../../../bin/formatted';
import { loggingOf, prices, pricesDate, type Bill, type BillLine } from './bill';
import { sizesMb, type MemoryRow } from './memory';

const page = join(__dirname, '../../..', 'docs', 'cost.md');
const beforeFile = join(__dirname, 'before.json');
/** Dollars by scenario, and when they were measured. */
const kept = z.object({ date: z.string(), dollars: z.record(z.string(), z.number()) });

/** Lines of a bill that are shown; the others are added up. */
const SHOWN = 8;
const SHOWN_SERVICES = 6;

/** Prints each scenario with its largest lines, then all of them on one screen, before and now. */
export function printBills(bills: readonly Bill[]): void {
  for (const bill of bills) {
    console.log(`\n${bill.scenario}: ${dollars(bill.dollars)}\n  ${bill.scale}`);
    console.log(`  ${servicesOf(bill)}`);
    for (const { caller, service, dollars: amount, arithmetic } of shown(bill))
      console.log(`  ${dollars(amount).padStart(10)}  ${service}: ${caller}${arithmetic && `, ${arithmetic}`}`);
  }
  const { date, dollars: before } = keptBefore();
  const width = Math.max(...bills.map(({ scenario }) => scenario.length));
  console.log(`\n${''.padEnd(width)} ${date.padStart(12)} ${'now'.padStart(12)}`);
  for (const { scenario, dollars: now } of bills)
    console.log(`${scenario.padEnd(width)} ${beforeOf(before[scenario]).padStart(12)} ${dollars(now).padStart(12)}`);
  console.log('');
}

const keptBefore = () => kept.parse(JSON.parse(readFileSync(beforeFile, 'utf8')));

/** Writes docs/cost.md when `what` is `yes`, and the figures to compare with when it is `before`. */
export async function writeDocument(
  bills: readonly Bill[],
  memory: readonly MemoryRow[],
  what: string | undefined,
): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  if (what === 'before') {
    const amounts = Object.fromEntries(bills.map((bill) => [bill.scenario, Number(bill.dollars.toFixed(2))]));
    writeFileSync(beforeFile, `${JSON.stringify({ date, dollars: amounts }, null, 2)}\n`);
  }
  if (what === undefined) return;
  await writePage(documentOf(bills, memory, date));
}

/** Replaces the sections of some scenarios, their rows in the table of scenarios, and the prices. */
export async function writeScenarios(bills: readonly Bill[]): Promise<void> {
  const { dollars: before } = keptBefore();
  const written = bills.reduce(
    (text, bill) =>
      text
        .replace(new RegExp(`^\\| ${bill.scenario} .*$`, 'm'), () => rowOf(bill, before[bill.scenario]))
        .replace(new RegExp(`^## ${titleOf(bill)}\\n[^]*?(?=^## )`, 'm'), () => `${sectionOf(bill)}\n`),
    readFileSync(page, 'utf8'),
  );
  await writePage(written.replace(/^## Prices\n[^]*/m, () => pricesSection()));
}

async function writePage(text: string): Promise<void> {
  writeFileSync(page, await formatted(page, text));
}

const rowOf = ({ scenario, dollars: now }: Bill, before: number | undefined): string =>
  `| ${scenario} | ${beforeOf(before)} | ${dollars(now)} |`;

function documentOf(bills: readonly Bill[], memory: readonly MemoryRow[], date: string): string {
  const before = keptBefore();
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
  return `# What it costs

Written by \`COST_WRITE=yes npm run bench -- cost\` on ${date} (${machine}, Node.js ${process.version}); do not edit. The stack of one machine
counts every call as AWS does ([packages/cloud-assembly-runner/README.md](../packages/cloud-assembly-runner/README.md), "Usage"); the counts are multiplied by the prices below. Only what grows
in proportion is scaled. An idle month is counted in the template instead (\`npm run bench -- cost-idle\` alone takes seconds): it is the only
scenario with what is charged whether or not the service is used, such as alarms. App clients are in [deploying.md](deploying.md), "What it costs
while idle".

| scenario | before, ${before.date} | now |
| --- | ---: | ---: |
${bills.map((bill) => rowOf(bill, before.dollars[bill.scenario])).join('\n')}

- The time of functions is that of this machine: the time on a processor × 1769 MB / memory of the function, because a function of 1 GB has
  0.58 processors, and the time of waiting for the services here. Initialisation is left out, because the number of instances does not grow in
  proportion.
- Before, this machine could not process a sample a second of 100 devices: each reported every five seconds, and the use of a sample was
  multiplied.
- Scenarios are spread evenly over a month. Nothing is traced: the option \`tracing\` would add a trace for each REST call at such a rate.
- Followers are WebSockets, each of all devices. Free tiers, volume discounts, storage, backups and the access logs of API Gateway are left
  out; data to the internet is at the first tier, that of WebSockets at CloudFront's price, through which it passes.
${loggingBullet(bills)}

${bills.map(sectionOf).join('\n')}
## Memory of functions

Those that no caller waits for, in all scenarios together: the average call, and what a million calls cost with each size, without the $0.20 for
requests. The size hardly changes what processor time costs; less memory makes waiting cheaper and everything later. REST functions are in
[performance.md](performance.md), "Memory of functions".

| function | calls | processor | waits | ${sizesMb.map((size) => `${size} MB`).join(' | ')} |
| --- | ---: | ---: | ---: | ${sizesMb.map(() => '---:').join(' | ')} |
${memory.map(memoryLine).join('\n')}

${pricesSection()}`;
}

/** One line of each hop: the request, the bus out, three reports in, and the publishing of four changes. */
function loggingBullet(bills: readonly Bill[]): string {
  const { ofJobs = 0, ofHandshakes = 0 } = loggingOf(bills) ?? {};
  return `- Of a million jobs ${dollars(ofJobs)} are log lines, nine for each job: its request, the event to the platform, three reports, and the
  publishing of four changes. The handshake of its follower is one more: ${dollars(ofHandshakes)}.`;
}

function pricesSection(): string {
  return `## Prices

As of ${pricesDate}, without free tiers and volume discounts.

| what | dollars | for | where | page |
| --- | ---: | ---: | --- | --- |
${Object.values(prices)
  .map(
    ({ service, dollars: amount, per, region, page: source }) =>
      `| ${service} | ${amount} | ${per.toLocaleString('en')} | ${region} | ${source} |`,
  )
  .join('\n')}
`;
}

function memoryLine({ name, calls, processorMs, waitingMs, dollars: amounts }: MemoryRow): string {
  const times = [processorMs, waitingMs].map((ms) => `${ms.toFixed(1)} ms`);
  return `| ${[name, calls, ...times, ...amounts.map(dollars)].join(' | ')} |`;
}

const titleOf = ({ scenario }: Bill) => `${scenario.charAt(0).toUpperCase()}${scenario.slice(1)}`;

function sectionOf(bill: Bill): string {
  const rows = shown(bill).map(
    ({ service, caller, arithmetic, dollars: amount }) =>
      `| ${service} | ${caller} | ${arithmetic} | ${dollars(amount)} |`,
  );
  return `## ${titleOf(bill)}

${dollars(bill.dollars)}: ${bill.scale}. ${servicesOf(bill)}.

| what | whose | quantity × price | dollars |
| --- | --- | --- | ---: |
${rows.join('\n')}
`;
}

/** The largest sums by service. */
function servicesOf({ services }: Bill): string {
  return services
    .slice(0, SHOWN_SERVICES)
    .map(([service, amount]) => `${service} ${dollars(amount)}`)
    .join(', ');
}

/** The largest lines, and the sum of the others. */
function shown({ lines }: Bill): readonly Pick<BillLine, 'caller' | 'service' | 'arithmetic' | 'dollars'>[] {
  const others = lines.slice(SHOWN);
  if (others.length === 0) return lines;
  const rest = others.reduce((sum, { dollars: amount }) => sum + amount, 0);
  return [
    ...lines.slice(0, SHOWN),
    { caller: `${others.length} lines`, service: 'others', arithmetic: '', dollars: rest },
  ];
}

function dollars(amount: number): string {
  return `$${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

function beforeOf(amount: number | undefined): string {
  return amount === undefined ? '' : dollars(amount);
}
