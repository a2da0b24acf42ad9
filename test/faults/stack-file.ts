import { readFileSync } from 'node:fs';
import { partnersShape } from '../../bin/start/stack-facts';
import { stackFile } from '../api/stack/address';

/** Credentials of the demo partners of the stack under test. */
export const readStackFile = () => partnersShape.parse(JSON.parse(readFileSync(stackFile(), 'utf8'))).partners;
