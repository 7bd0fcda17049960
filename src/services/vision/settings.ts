import { z } from 'zod';
import { privateHosts } from '../../foundation/http/allow-list.ts';
import { address, dependency, integer, optionalText } from '../../foundation/settings.ts';

const MEBIBYTE = 1024 * 1024;

/** Settings of the vision service, named as in the environment. */
export const visionSettings = z.object({
  VISION_UPSTREAM_URL: address().describe(
    'Root of a vision server of the common convention (vLLM, llama.cpp), such as https://host/v1; unset: our describer alone.',
  ),
  VISION_UPSTREAM_API_KEY: optionalText().describe('Key that is sent to that server, when it wants one.'),
  VISION_MODEL: optionalText().describe(
    'Its model where a request names none; unset: the first that it lists.',
  ),
  VISION_UPSTREAM_TIMEOUT_MS: integer(60_000, 1, 3_600_000).describe(
    'Time for one answer of that server, and for the longest pause of a stream.',
  ),
  VISION_AT_ONCE: integer(2, 1, 1_000).describe('Requests that are answered at once.'),
  VISION_QUEUE_SIZE: integer(100, 1, 10_000).describe('Requests that may wait, of all callers together.'),
  VISION_CALLER_SHARE: integer(20, 1, 10_000).describe(
    'Requests of one caller that may wait or be answered.',
  ),
  VISION_DECODE_TIMEOUT_MS: integer(15_000, 100, 600_000).describe('Time for decoding one picture.'),
  VISION_MAX_FILE_BYTES: integer(25 * MEBIBYTE, 1024, 64 * MEBIBYTE).describe('Largest picture file.'),
  VISION_MAX_PIXELS: integer(50_000_000, 1_000_000, 200_000_000).describe(
    'Pixels of the largest picture that is decoded; decoding takes up to 12 bytes of memory for each.',
  ),
  WEB_ALLOWED_PRIVATE_HOSTS: privateHosts().describe(
    'Private hosts from which pictures may be fetched: host:port, host or CIDR, separated by commas.',
  ),
  EXTRACTORS_URL: dependency().describe(
    'The extractors, which tell whether a picture has a signed history; `none` switches them off.',
  ),
  FORENSIC_URL: dependency().describe(
    'The forensic service, which tells what the file of a picture says of itself; `none` switches it off.',
  ),
});

/** Checked settings of the vision service. */
export type VisionSettings = z.infer<typeof visionSettings>;
