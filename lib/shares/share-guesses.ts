import { Construct } from 'constructs';
import type { ApiFunction } from '../functions/api-function';
import { LogMetric } from '../observability/log-metric';
import { period, type AlarmDefinition } from '../observability/alarm-definition';

/** More within five minutes than partners and viewers with old links bring about. */
const MANY = 100;

export interface ShareGuessesProps {
  /** All functions that are given share codes by others. */
  readonly functions: readonly ApiFunction[];
}

/** Somebody who tries share codes: each refusal costs a read and is counted, and no log has the code. */
export class ShareGuesses extends Construct {
  readonly watched: AlarmDefinition;

  constructor(scope: Construct, id: string, { functions }: ShareGuessesProps) {
    super(scope, id);
    const refused = new LogMetric(this, 'Refused', {
      in: functions,
      as: 'ShareCodesRefused',
      reasons: ['share_not_found'],
    });
    this.watched = {
      name: 'ShareCodesRefused',
      group: 'calls',
      impact: 'Somebody tries share codes: one that is found would show what partners have shared',
      metric: refused.metric('share_not_found', { period }),
      threshold: MANY,
    };
  }
}
