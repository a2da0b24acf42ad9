/** `arn:aws:lambda:region:account:function:name[:qualifier]` or a bare name. */
export function nameOf(functionArnOrName: string): string {
  return functionArnOrName.startsWith('arn:') ? (functionArnOrName.split(':')[6] ?? '') : functionArnOrName;
}
