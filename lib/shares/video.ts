import { Aws } from 'aws-cdk-lib/core';
import type { ApiFunction } from '../functions/api-function';

/** Lets a function give out where the live video of a device can be played. */
export const grantVideo = (player: ApiFunction): ApiFunction =>
  player.may(
    ['kinesisvideo:GetDataEndpoint', 'kinesisvideo:GetHLSStreamingSessionURL'],
    [`arn:${Aws.PARTITION}:kinesisvideo:${Aws.REGION}:${Aws.ACCOUNT_ID}:stream/*`],
    'Streams belong to devices, which come and go.',
  );
