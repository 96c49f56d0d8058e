/** A frame with a lane of its own. */
{
  const source = new URL(location.href).searchParams.get('source');

  /** @param {string} address @param {Record<string, string>} [flags] the tag's data-… attributes */
  const load = (address, flags = {}) => new Promise((resolve) => {
    const script = document.createElement('script');
    Object.assign(script.dataset, flags);
    script.src = address;
    script.onload = resolve;
    document.head.append(script);
  });

  const start = async () => {
    // <script src="lockkeeper.js" data-force data-insecure>
    if (source !== 'native') await load(`../dist/lockkeeper${source === 'js' ? '.nowasm' : ''}.js`, { force: '', insecure: '' });
    await load('context.js');
    /** @type {any} */ (self).demo.startChild();
  };

  start();
}
