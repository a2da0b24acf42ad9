import { isFinal, jobStatuses } from '../../domain/jobs/job-lifecycle';

const banner = 'Generated from domain/jobs/job-lifecycle.ts by `npm run documents`.';
const finals = jobStatuses.filter(isFinal);

/** The module of the TypeScript client that has the final states of a job. */
export const finalStatesInTypeScript = () => `// ${banner}

/** No state follows these. */
export const FINAL_STATES: readonly unknown[] = [${finals.map((status) => `'${status}'`).join(', ')}];
`;

/** The same of the Python client. The comma after each makes one state a tuple, too. */
export const finalStatesInPython = () => `"""The final states of a job. ${banner}"""

# No state follows these.
FINAL_STATES = (
${finals.map((status) => `    "${status}",`).join('\n')}
)
`;
