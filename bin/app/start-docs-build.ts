import { startDocsBuild } from '../../lib/docs/docs-build';

startDocsBuild();
