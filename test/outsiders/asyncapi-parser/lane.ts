import { join } from 'node:path';
import { fromFile, Parser } from '@asyncapi/parser';
import { withoutAccepted, type Accepted, type Lane } from '../lane';
import { asyncApiFiles, root } from '../artifacts';

type Diagnostic = Awaited<ReturnType<Parser['parse']>>['diagnostics'][number] & { readonly file: string };

/** Names of the severities of diagnostics, by their number. */
const severities = ['error', 'warning', 'information', 'hint'];

const acceptedDiagnostics: readonly Accepted<Diagnostic>[] = [
  {
    concerns: ({ code }) => code === 'asyncapi-latest-version',
    reason: 'the parser recommends the newest version of AsyncAPI; renderers and generators know 3.0.0',
  },
];

/** The parser of the AsyncAPI Initiative, with its recommended rules. */
export const asyncApiParser: Lane = {
  title: 'the published AsyncAPI documents, by the parser of the AsyncAPI Initiative',
  run: async () => {
    const diagnostics: Diagnostic[] = [];
    for (const file of asyncApiFiles()) {
      const { document, diagnostics: found } = await fromFile(new Parser(), join(root, file)).parse();
      diagnostics.push(...found.map((one) => ({ ...one, file })));
      if (document) {
        const counts = [
          `${document.allChannels().length} channels`,
          `${document.allOperations().length} operations`,
          `${document.allMessages().length} messages`,
        ];
        console.log(`  ${file}: AsyncAPI ${document.version()}, ${counts.join(', ')}`);
      }
    }
    return withoutAccepted(diagnostics, acceptedDiagnostics, describe);
  },
};

function describe({ file, severity, code, path, message }: Diagnostic): string {
  return [severities[severity], code, `${file}#/${path.join('/')}`, message].join(' ');
}
