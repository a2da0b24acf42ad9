import { nullsLeftOut } from '../values/nulls-left-out';
import { sample } from './sample';

/**
 * A sample as devices report it, over the telemetry socket and on the bus. Apart from `sample`, whose file most functions
 * load.
 */
export const reportedSample = nullsLeftOut(sample);
