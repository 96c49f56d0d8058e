/**
 * @typedef {import('./types.js').LogRequest} LogRequest
 */

/** @param {LogRequest} request */
const hasNews = ({ news }) => news !== '';

/** @param {LogRequest} request */
const enter = (request) => {
  request.status = 'held';
  request.listener('granted', request.fence);
};

/** @param {LogRequest} request @param {import('./types.js').Outcome} outcome */
const end = (request, outcome) => {
  request.status = 'ended';
  request.listener(outcome, 0);
};

/** The outcomes of this context's requests, until their listeners are told. */
export const createOutcomes = () => {
  /** Requests with news for their listeners. Some may have been dropped since. @type {LogRequest[]} */
  let changed = [];

  return {
    /**
     * @param {LogRequest} request
     * @param {import('./types.js').Outcome} news
     * @param {boolean} stolenByOwn this context has stolen the lock from itself. Even if one message grants and steals, the first callback
     *   runs, as in the standard
     */
    add(request, news, stolenByOwn) {
      request.entersFirst = stolenByOwn && request.news === 'granted';
      if (!hasNews(request)) changed.push(request);
      request.news = news;
    },

    /** Whether there is something to tell. */
    any: () => changed.some(hasNews),

    /** Requests that were granted and have ended before their listeners were told no longer run their callbacks. */
    forgetGrants() {
      changed.forEach((request) => {
        request.entersFirst = false;
      });
    },

    /**
     * Tells each listener the current outcome, without what happened in between. If a lock was lost, grants wait for another call, so that
     * the loss is told before the next holder enters.
     * @param {() => void} again asks for that call
     * @param {() => boolean} [mayEnter] if it returns false, grants wait for a later call. It is called for each grant: in Firefox,
     *   messages arrive while a listener has an alert() open
     */
    tell(again, mayEnter = () => true) {
      const isTold = (/** @type {LogRequest} */ { news, entersFirst }) => news && (!(news === 'granted' || entersFirst) || mayEnter());
      const list = changed.filter(isTold);
      const hasLost = list.some(({ news }) => news !== 'granted');
      for (const request of list) {
        const { news, entersFirst } = request;
        // An earlier listener may have dropped it.
        if (!news || !isTold(request) || (hasLost && news === 'granted')) continue;
        request.news = '';
        if (news === 'granted' || entersFirst) enter(request);
        // The listener may have dropped it at once.
        if (news !== 'granted' && !(entersFirst && request.status === 'ended')) end(request, news);
      }
      changed = changed.filter(hasNews);
      if (changed.some(isTold)) again();
    },
  };
};
