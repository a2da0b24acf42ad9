/** What the viewers of a share may do. */
import { isViewersByDefault } from '../commands/stops';
import type { Share } from './share';

/** Whether the viewers of a share may send a command. */
export const permitsCommand = (
  { permissions, commands }: Pick<Share, 'permissions' | 'commands'>,
  name: string,
): boolean => permissions.includes('control') && (commands ? commands.includes(name) : isViewersByDefault(name));
