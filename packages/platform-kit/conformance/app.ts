import { App, Stack } from 'aws-cdk-lib/core';
import cdkJson from '../../../cdk.json';
import { PlatformBus } from '../../../lib/platform/platform-bus';
import { SimulatedFleet } from '../../../lib/platform/simulated-fleet';
import { Tables } from '../../../lib/foundation/tables';

/** Factor over real time: a flight takes four seconds. */
const SPEED = 20;

/**
 * Synthesises the platform's bus, without any of the service that is at its other end.
 * @param withFleet whether the simulated fleet is on it
 * @returns folder of the cloud assembly
 */
export function synthesiseBus(outdir: string, withFleet: boolean): string {
  // The runner finds the code of functions by their metadata, as the SAM CLI does.
  const context = { ...cdkJson.context, 'aws:cdk:enable-asset-metadata': true };
  const app = new App({ outdir, analyticsReporting: false, treeMetadata: false, context });
  const stack = new Stack(app, 'PlatformConformance');
  const platform = new PlatformBus(stack, 'Platform');
  if (withFleet) {
    const tables = new Tables(stack, 'Tables', { removeData: true });
    new SimulatedFleet(stack, 'SimulatedFleet', { platform, tables, speed: SPEED, rest: 10 });
  }
  return app.synth().directory;
}
