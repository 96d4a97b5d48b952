#!/usr/bin/env node
import '@keepsake/cli/dist/keepsake.js';
