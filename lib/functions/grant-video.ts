import { Aws } from 'aws-cdk-lib/core';
import type { ApiFunction } from './api-function';

/** Lets a function create playback URLs for the live video of devices. */
export const grantVideo = (player: ApiFunction): ApiFunction =>
  player.allow(
    ['kinesisvideo:GetDataEndpoint', 'kinesisvideo:GetHLSStreamingSessionURL'],
    [`arn:${Aws.PARTITION}:kinesisvideo:${Aws.REGION}:${Aws.ACCOUNT_ID}:stream/*`],
    'Each device has its own streams, created at runtime.',
  );
