/** The text of --help. */
import { PREFIX } from './log-etcd.js';

export const USAGE = `Usage: lockkeeper-claims --port P --data DIR
       lockkeeper-claims --port P --etcd URL,URL,URL
(in the repository: npm run claims -- --port P …)

Where claims are kept (one of them):
  --data DIR              in this folder, for one server
  --etcd URL,URL,URL      in etcd, for several servers; its members' URLs
  --memory                nowhere, for tests

  --port P                listen there; 0 takes a free port (default 8470)
  --host ADDRESS          default 127.0.0.1
  --checkpoint-every N    operations between two checkpoints (default 2000)
  --keep N                remember the last N final claims (default: all; with --etcd 10000)
  --etcd-prefix PREFIX    the keys' beginning (default ${PREFIX})
  --etcd-ca FILE          the certificate authority of etcd's members (PEM)
  --etcd-cert FILE        this service's certificate for etcd, with --etcd-key FILE
  --etcd-user NAME        a user of etcd's, with --etcd-password-file FILE
  --etcd-quota BYTES      etcd's space quota (default: etcd's own, 2 GiB); nearly at it no more claims are taken
  --etcd-keep-history     do not have etcd forget old revisions
  --tls-cert FILE         serve https with this certificate (PEM), with --tls-key FILE
  --base-url URL          what clients call this service (default: what they say in Host)
  --trust-proxy           believe X-Forwarded-Host and X-Forwarded-Proto
  --allow-origin ORIGIN   pages of this origin may use the service; * for all; may be repeated
  --max-open N            open claims in all (default 200000); --max-open-of-owner N, of one owner (default 20000)
  --backup DIR            on SIGUSR2 a copy of the data folder is written there, under the time's name
  --new-incarnation       after a copy was restored: go on with ids and fences that no client has seen, and end
  --config FILE           JSON: {"port": 8470, "etcd": "http://…"}, names as here
  --log-level LEVEL       trace, debug, info, warn, error, fatal, silent (default info)
  --help, -h              this text
  --version

Every option can also be set as LOCKKEEPER_CLAIMS_NAME, for instance LOCKKEEPER_CLAIMS_ETCD_PREFIX, and in the file; the command line
counts before the environment, and that before the file.

Authentication (by default there is none, and only this machine's own addresses are served):
  --allow-anonymous       do not ask, wherever this server listens
  --auth-jwks URL         OAuth 2 bearer tokens: JWTs, by the issuer's published keys
  --auth-key FILE         or by this key: PEM, JWK or a JWK set
  --auth-issuer TEXT      what the token must say
  --auth-audience TEXT    likewise; mandatory with --auth-issuer or --auth-jwks, or else --auth-any-audience
  --auth-any-audience     tokens that the issuer made for others will do as well
  --auth-owner NAME       the token's claim that names the owner (default sub)
  --auth-revoke SCOPE     the scope or role that may revoke others' claims (default claims:revoke)
  --auth-resources START  scopes (or groups) that begin so name the beginnings of resources that may be claimed: with claims:on:
                          the scope claims:on:build/ allows build/7 (default: every user may claim all resources)
  --auth-header NAME      a proxy in front says it in this header (Shibboleth and the like)
  --auth-proxy ADDRESSES  the proxy's addresses (default 127.0.0.1,::1); requests from elsewhere are refused
  --auth-groups NAME      the header that has the owner's groups
  --auth-revoke-group G   the group that may revoke others' claims
`;
