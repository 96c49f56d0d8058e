/** The judge of the histories finds what is wrong. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createHistory } from './support/history.js';

describe('claims: the history checker', () => {
  const claim = (id, status, fence = null, resource = 'a') => ({ url: `http://x/v1/claims/${id}/`, resource, status, fence });
  const judge = (...answers) => {
    const history = createHistory();
    for (const [body, asked, answered] of answers) {
      if (typeof body === 'string') history.ended(body, 'released', answered);
      else history.shown(body, asked, answered);
    }
    return history.contradictions();
  };

  it('nothing is wrong with one owner after the other', () => {
    assert.deepEqual(judge([claim(1, 'active', 1), 0, 10], [claim(1, 'active', 1), 20, 30], [claim(2, 'active', 2), 15, 25]), []);
    assert.deepEqual(judge([claim(1, 'active', 1), 0, 10], [claim(2, 'active', 2, 'b'), 1, 2], [claim(1, 'active', 1), 20, 30]), []);
    assert.deepEqual(judge([claim(1, 'active', 1), 0, 10], ['/v1/claims/1/', 20, 30], [claim(1, 'active', 1), 25, 40]), []);
  });

  it('two owners at a time', () => {
    const [found, ...others] = judge([claim(1, 'active', 1), 0, 1], [claim(2, 'active', 2), 2, 3], [claim(1, 'active', 1), 4, 5]);
    assert.match(found, /a had two owners/);
    assert.deepEqual(others, []);
  });

  it('an owner after its end, or before its turn, or with another\'s fence', () => {
    assert.match(judge([claim(1, 'active', 1), 0, 1], ['/v1/claims/1/', 2, 3], [claim(1, 'active', 1), 4, 5])[0], /after its end/);
    assert.match(judge([claim(2, 'active', 2), 0, 1], [claim(1, 'active', 1), 2, 3])[0], /two owners/);
    assert.match(judge([claim(1, 'active', 1), 0, 1], [claim(2, 'active', 1), 0, 1])[0], /one fence/);
  });

  it('an owner after its session was ended; and two owners by what a session lists', () => {
    const history = createHistory();
    history.shown(claim(1, 'active', 1), 0, 1);
    history.inSession('/v1/claims/1/', { asked: 2, answered: 3 });
    history.inSession('/v1/claims/1/', { answered: 4 });
    assert.deepEqual(history.contradictions(), []);
    history.shown(claim(1, 'active', 1), 5, 6);
    assert.match(history.contradictions()[0], /after its end/);
    const other = createHistory();
    other.shown(claim(1, 'active', 1), 0, 1);
    other.shown(claim(2, 'active', 2), 2, 3);
    other.inSession('/v1/claims/1/', { asked: 4, answered: 5 });
    assert.match(other.contradictions()[0], /two owners/);
  });

  it('two owners in one list', () => {
    const history = createHistory();
    history.listed([claim(1, 'active', 1), claim(2, 'waiting'), claim(3, 'active', 3, 'b')], 0, 1);
    assert.deepEqual(history.contradictions(), []);
    history.listed([claim(1, 'active', 1), claim(2, 'active', 2)], 2, 3);
    assert.match(history.contradictions()[0], /a list shows two owners of a/);
  });

  it('events that differ from server to server, or run backwards', () => {
    const tell = (...events) => {
      const history = createHistory();
      for (const [id, body] of events) history.told(id, body);
      return history.contradictions();
    };
    assert.deepEqual(tell(['1-0', claim(1, 'waiting')], ['1-1', claim(1, 'active', 1)], ['9-0', claim(1, 'released', 1)],
      ['10-0', claim(2, 'active', 2)], ['10-0', claim(2, 'active', 2)]), []);
    assert.match(tell(['1-0', claim(1, 'waiting')], ['1-0', claim(2, 'waiting')])[0], /not the same at two servers/);
    assert.match(tell(['2-0', claim(1, 'active', 1)], ['1-0', claim(1, 'released', 1)])[0], /becomes active after/);
    assert.match(tell(['2-0', claim(1, 'active', 1)], ['1-0', claim(2, 'active', 2)])[0], /has fence 1 after 2/);
  });
});
