/** GET /metrics, in Prometheus' text format. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class Metrics {
  registry = new Registry();
  #registers = [this.registry];
  requests = new Histogram({
    name: 'claims_http_request_duration_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: this.#registers,
  });
  appends = new Histogram({
    name: 'claims_log_append_duration_seconds',
    help: 'Time to make a batch of operations durable',
    buckets: SECONDS,
    registers: this.#registers,
  });
  operations = new Counter({ name: 'claims_log_operations_total', help: 'Operations appended to the log', registers: this.#registers });
  /** @type {Map<string, {observe: (seconds: number) => void}>} by the labels of the requests */
  #ofRequests = new Map();
  failures = new Counter({ name: 'claims_log_failures_total', help: 'Failures to write the log', registers: this.#registers });
  transitions = new Counter({
    name: 'claims_transitions_total',
    help: 'Claims that came to a status',
    labelNames: ['status'],
    registers: this.#registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /**
   * @param {string} method
   * @param {string} route
   * @param {number} status
   * @param {number} seconds
   */
  observeRequest(method, route, status, seconds) {
    const key = `${method} ${route} ${status}`;
    const known = this.#ofRequests.get(key) ?? this.requests.labels({ method, route, status });
    this.#ofRequests.set(key, known);
    known.observe(seconds);
  }

  /**
   * Values that are read from the service only when /metrics is requested.
   * @param {import('./service.js').Service} service
   */
  observe(service) {
    this.#gauge('claims_resources', 'Resources with open claims', () => service.machine.queues.size);
    this.#gauge('claims_sessions', 'Sessions', () => service.machine.sessions.size);
    this.#gauge('claims_log_place', 'The last applied entry of the log', () => service.orderer.place);
    const { log } = service.orderer;
    if (log.space) {
      this.#gauge('claims_etcd_used_bytes', 'What is used of etcd\'s quota', () => log.space?.()?.used ?? 0);
      this.#gauge('claims_etcd_file_bytes', 'The size of etcd\'s file', () => log.space?.()?.file ?? 0);
      this.#gauge('claims_etcd_quota_bytes', 'etcd\'s quota, as this service was told', () => log.space?.()?.quota ?? 0);
    }
    this.#gauge('claims_listeners', 'Clients that wait for a claim or follow the events', () => service.hub.size);
    new Gauge({
      name: 'claims',
      help: 'Claims by status; all final ones are "final"',
      labelNames: ['status'],
      registers: this.#registers,
      collect() {
        for (const [status, count] of Object.entries(service.register.counts)) this.set({ status }, count);
      },
    });
  }

  /**
   * @param {string} name
   * @param {string} help
   * @param {() => number} read
   */
  #gauge(name, help, read) {
    new Gauge({ name, help, registers: this.#registers, collect() { this.set(read()); } });
  }
}

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {{metrics: Metrics}} options
 */
export async function metricsRoute(fastify, { metrics }) {
  fastify.get('/metrics', async (request, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
