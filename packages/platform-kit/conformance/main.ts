import { join } from 'node:path';
import { pythonWith } from '../../../test/outsiders/install';
import { synthesiseBus } from './app';
import { runCommandLine } from './conform';

/** `npm run platform-conformance`, in the repository. */
runCommandLine({
  usage: 'npm run platform-conformance -- [options]',
  python: () => pythonWith('platform-adapter', join(__dirname, '../sample-adapter/requirements.txt')),
  assembly: synthesiseBus,
});
