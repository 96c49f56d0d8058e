/** Pages that enter the back-forward cache. */
import { until } from './drivers/wait.js';

/** By default, pages of the server stay out of the cache. */
export const CACHEABLE = { 'Cache-Control': 'no-cache' };
export const CACHEABLE_QUERY = new URLSearchParams({ headers: JSON.stringify(CACHEABLE) });
/** Goes to another page of the site. @returns {Promise<boolean>} whether the page before is in the cache */
export const leave = async ({ server }, tab, origin) => {
  await tab.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = "addEventListener('pagehide', ({ persisted }) => navigator.sendBeacon('/log', JSON.stringify({ persisted })))";
    document.head.append(script);
  });
  const first = server.log.length;
  // As a link does: a driver's navigation may keep the page out.
  await tab.evaluate((address) => {
    setTimeout(() => { location.href = address + location.hash; });
  }, `${origin}/blank?${CACHEABLE_QUERY}`);
  await until(() => tab.evaluate(() => location.pathname === '/blank').catch(() => false), 10000, 'the page is left');
  const told = () => server.log.slice(first).find((entry) => 'persisted' in entry);
  return (await until(told, 5000, 'the page says that it is left')).persisted;
};

/** Back to the page before. */
export const goBack = (tab) => tab.evaluate(() => { setTimeout(() => history.back()); });
