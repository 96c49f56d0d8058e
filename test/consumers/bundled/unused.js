import { LockManager } from 'lockkeeper'; // eslint-disable-line no-unused-vars -- a bundle must drop it
import * as drafts from 'lockkeeper/drafts'; // eslint-disable-line no-unused-vars -- as above
import * as core from 'lockkeeper/core'; // eslint-disable-line no-unused-vars -- as above

console.log('nothing else');
