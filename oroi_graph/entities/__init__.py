"""What mentions refer to: mentions of an extraction, existing concepts, and which facts new facts replace."""
