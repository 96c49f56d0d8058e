import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { locks } from 'lockkeeper';

function Turn() {
  const [state, setState] = useState('waiting');
  useEffect(() => {
    const controller = new AbortController();
    locks.request('turn', { signal: controller.signal }, (lock) => {
      setState(`holding ${lock.name}`);
      return new Promise(() => {});
    }).catch((error) => {
      if (error.name !== 'AbortError') setState(String(error));
    });
    return () => controller.abort();
  }, []);
  return <p>{state}</p>;
}

createRoot(document.getElementById('root')).render(<Turn />);

self.result = new Promise((resolve) => {
  new MutationObserver(() => {
    const { textContent } = document.getElementById('root');
    if (textContent !== 'waiting') resolve(textContent);
  }).observe(document, { subtree: true, childList: true, characterData: true });
});
