import { parseTemplate } from 'cloud-assembly-runner/cloudformation/template';
import {
  compileViewerFunction,
  viewerFunctionSources,
} from 'cloud-assembly-runner/cloudfront/functions/viewer-function';
import { smallTable, synthesise } from '../synthesised';

describe('The CloudFront functions', () => {
  const sources = viewerFunctionSources(parseTemplate(synthesise({}, smallTable).template.toJSON()));

  test.each(Object.entries(sources))('%s uses only what the runtime supports', (_id, FunctionCode) => {
    const FunctionConfig = { Runtime: 'cloudfront-js-2.0' } as const;
    const compile = () => compileViewerFunction({ Name: 'given', FunctionCode, FunctionConfig }, () => undefined);
    expect(compile).not.toThrow();
  });

  test('are the three in the template', () => {
    expect(Object.keys(sources)).toHaveLength(3);
  });
});
